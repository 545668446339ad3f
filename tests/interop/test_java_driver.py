"""The Java driver 4 against the embedded server."""

import pytest
from other_program import BUILD_TIMEOUT_S, HERE, find, run


@pytest.fixture(scope="module")
def class_path(builds):
    jars = builds / "jars"
    if not list(jars.glob("java-driver-core-*.jar")):
        run(find("mvn"), "-q", "-B", "-f", HERE / "java/pom.xml",
            "dependency:copy-dependencies", f"-DoutputDirectory={jars}",
            timeout_s=BUILD_TIMEOUT_S)
    run(find("javac"), "-d", builds / "classes", "-cp", f"{jars}/*", HERE / "java/Interop.java")
    return f"{jars}/*:{builds / 'classes'}"


# Told nothing, the driver ends with v5, after the answers to the newer ones that it tries.
@pytest.mark.parametrize("version, compression, spoken", [
    ("auto", "none", "V5"), ("V5", "lz4", "V5"), ("V4", "none", "V4"), ("V4", "lz4", "V4"),
    ("V4", "snappy", "V4")])
def test_java_driver(server, class_path, version, compression, spoken):
    output = run(find("java"), "-Xmx256m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp",
                 class_path, "Interop", server.address, server.port, version, compression)
    assert output.strip() == f"ok {spoken}"
