#include "bench/note_relay.h"

#include <algorithm>
#include <utility>

namespace cqlperf::bench {

void NoteRelay::add(std::string note) {
  const std::lock_guard lock(mutex_);
  if (std::find(waiting_.begin(), waiting_.end(), note) == waiting_.end())
    waiting_.push_back(std::move(note));
}

void NoteRelay::tell(Listener& listener) {
  std::vector<std::string> notes;
  {
    const std::lock_guard lock(mutex_);
    notes.swap(waiting_);
  }
  for (const std::string& note : notes) listener.on_note(note);
}

}  // namespace cqlperf::bench
