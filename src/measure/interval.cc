#include "measure/interval.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace cqlperf::measure {

namespace {

using core::ErrorCode;
using core::fail;
using core::Status;

std::string temporary_directory() {
  const char* directory = std::getenv("TMPDIR");
  return directory != nullptr && *directory != '\0' ? directory : "/tmp";
}

std::unexpected<core::Error> spool_error(std::string_view action) {
  return fail(ErrorCode::kIo,
              fmt::format("cannot {} the temporary file for interval rows in {}: {} (TMPDIR may "
                          "name another directory)",
                          action, temporary_directory(), std::strerror(errno)));
}

// A file that goes away with its descriptor.
core::Result<int> open_unnamed_file() {
  std::string path = temporary_directory() + "/cqlperf-rows-XXXXXX";
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return spool_error("create");
  unlink(path.c_str());
  return file;
}

Status write_all(int file, const void* data, size_t size, off_t offset) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = pwrite(file, at, size, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return spool_error("write");
    at += written;
    offset += written;
    size -= static_cast<size_t>(written);
  }
  return {};
}

Status read_all(int file, void* data, size_t size, off_t offset) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = pread(file, at, size, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;  // rows that were written are gone
    if (got <= 0) return spool_error("read");
    at += got;
    offset += got;
    size -= static_cast<size_t>(got);
  }
  return {};
}

off_t row_offset(uint64_t row) { return static_cast<off_t>(row * sizeof(IntervalRow)); }

}  // namespace

IntervalSpool::~IntervalSpool() {
  if (file_ >= 0) close(file_);
}

IntervalSpool::IntervalSpool(IntervalSpool&& other) noexcept
    : rows_in_memory_(other.rows_in_memory_),
      memory_(std::move(other.memory_)),
      file_(std::exchange(other.file_, -1)),
      rows_in_file_(std::exchange(other.rows_in_file_, 0)) {}

IntervalSpool& IntervalSpool::operator=(IntervalSpool&& other) noexcept {
  std::swap(rows_in_memory_, other.rows_in_memory_);
  std::swap(memory_, other.memory_);
  std::swap(file_, other.file_);
  std::swap(rows_in_file_, other.rows_in_file_);
  return *this;
}

Status IntervalSpool::append(const IntervalRow& row) {
  if (memory_.size() >= rows_in_memory_) return append_to_file(row);
  memory_.push_back(row);
  return {};
}

Status IntervalSpool::append_to_file(const IntervalRow& row) {
  if (file_ < 0) {
    const auto file = open_unnamed_file();
    if (!file) return std::unexpected(file.error());
    file_ = *file;
  }
  if (Status status = write_all(file_, &row, sizeof row, row_offset(rows_in_file_)); !status) {
    return status;
  }
  ++rows_in_file_;
  return {};
}

Status IntervalSpool::for_each(const std::function<void(const IntervalRow&)>& visit) const {
  for (const IntervalRow& row : memory_) visit(row);
  std::array<IntervalRow, 64> chunk;
  for (uint64_t first = 0; first < rows_in_file_; first += chunk.size()) {
    const size_t count = std::min<uint64_t>(chunk.size(), rows_in_file_ - first);
    if (Status status =
            read_all(file_, chunk.data(), count * sizeof(IntervalRow), row_offset(first));
        !status) {
      return status;
    }
    for (size_t i = 0; i < count; ++i) visit(chunk[i]);
  }
  return {};
}

}  // namespace cqlperf::measure
