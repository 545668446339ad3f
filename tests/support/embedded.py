"""The embedded server for tests: `cqlperf serve` on a free port, ended at the end."""

import contextlib
import select
import signal
import subprocess

from program import BIN

READY_TIMEOUT_S = 30
STOP_TIMEOUT_S = 30
READY_TEXT = "listening on "


class Embedded:
    """A running server: `address`, `port`, `server` (both), `process`."""

    def __init__(self, process, address, port):
        self.process = process
        self.address = address
        self.port = port
        self.server = f"{address}:{port}"

    @property
    def pid(self):
        return self.process.pid

    def kill(self):
        """Ends it as a crash would."""
        self.process.kill()
        self.process.wait(STOP_TIMEOUT_S)

    def stop(self):
        """Asks it to end and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_TIMEOUT_S)


def start(*flags, listen="127.0.0.1:0", prefix=()):
    """Starts a server and returns when it is ready."""
    command = [*prefix, BIN / "cqlperf", "serve", "--listen", listen, *flags]
    process = subprocess.Popen(command, text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if select.select([process.stdout], [], [], READY_TIMEOUT_S)[0]:
        line = process.stdout.readline()
        if line.startswith(READY_TEXT):
            address, _, port = line.removeprefix(READY_TEXT).strip().rpartition(":")
            return Embedded(process, address, int(port))
    process.kill()
    raise AssertionError(f"{command} does not get ready: {process.communicate(timeout=10)}")


@contextlib.contextmanager
def running(*flags, **options):
    """A server for the length of a `with`; it must end well."""
    server = start(*flags, **options)
    try:
        yield server
    finally:
        code = server.stop()
        errors = server.process.stderr.read()
        server.process.stdout.close()
        server.process.stderr.close()
    assert code in (0, -signal.SIGKILL), f"exit code {code}: {errors}"
