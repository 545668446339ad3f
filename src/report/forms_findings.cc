#include "report/forms_findings.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "report/figures.h"

namespace cqlperf::report {
namespace {

using measure::CellRound;
using measure::CellVerification;
using measure::FormCell;
using measure::FormScenario;
using measure::FormScenarioResult;

// Text of another program, in one line.
std::string line_of(std::string_view text) {
  std::string line = core::printable(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

std::string counted(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count_text(count), noun, count == 1 ? "" : "s");
}

struct Totals {
  size_t forms = 0;
  size_t rounds = 0;       // that were begun
  size_t missing = 0;      // that were not
  size_t interrupted = 0;  // with no other fault
  size_t wrong = 0;        // with any other fault
  CellVerification found;
};

bool only_interrupted(const CellRound& round) {
  CellRound completed;
  completed.summary.errors = round.summary.errors;
  completed.problem = round.problem;
  completed.verification = round.verification.value_or(CellVerification{});
  return round.interrupted && completed.ok();
}

Totals totals_of(const FormScenarioResult& scenario, uint32_t rounds) {
  Totals totals;
  for (const FormCell& cell : scenario.cells) {
    if (!cell.not_available.empty()) continue;
    ++totals.forms;
    totals.rounds += cell.rounds.size();
    totals.missing += rounds - std::min<size_t>(rounds, cell.rounds.size());
    for (const CellRound& round : cell.rounds) {
      if (!round.ok()) ++(only_interrupted(round) ? totals.interrupted : totals.wrong);
      const CellVerification found = round.verification.value_or(CellVerification{});
      totals.found.in_doubt += found.in_doubt;
      totals.found.found += found.found;
      totals.found.checked += found.checked;
    }
  }
  return totals;
}

// What was done to find that all is right.
std::string method(FormScenario scenario, const CellVerification& found) {
  switch (scenario) {
    case FormScenario::kCounters:
      return "the sum of every counter is what was acknowledged";
    case FormScenario::kReads:
      return fmt::format("every answer compared, {} of them", count_text(found.checked));
    case FormScenario::kInserts:
    case FormScenario::kIndexed:
      break;
  }
  if (found.checked >= found.found) return "every row counted and compared";
  return fmt::format("every row counted, {} of {} compared", count_text(found.checked),
                     count_text(found.found));
}

// `NOT RIGHT: 1 of 5 rounds wrong, 2 not run`.
std::string incomplete(const Totals& totals) {
  std::string text;
  const auto add = [&text](size_t count, std::string_view what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(totals.wrong, fmt::format("of {} not right", counted(totals.rounds, "round")));
  add(totals.interrupted, "interrupted");
  add(totals.missing, "not run");
  return (totals.wrong > 0 ? "NOT RIGHT: " : "NOT COMPLETE, in rounds: ") + text;
}

std::string verdict_of(const FormScenarioResult& scenario, const Totals& totals, uint32_t rounds) {
  if (totals.forms == 0) return "nothing to verify: no form was measured";
  if (totals.missing + totals.interrupted + totals.wrong > 0) return incomplete(totals);
  std::string text = fmt::format("verified: {} x {}, {}", counted(totals.forms, "form"),
                                 counted(rounds, "round"), method(scenario.scenario, totals.found));
  if (totals.found.in_doubt > 0)
    text += fmt::format("; {} in doubt", count_text(totals.found.in_doubt));
  return text;
}

// What does not fit of what was found; empty when all does.
std::string mismatch(FormScenario scenario, const CellVerification& found) {
  if (found.ok()) return {};
  const std::string_view noun = scenario == FormScenario::kReads      ? "answer"
                                : scenario == FormScenario::kCounters ? "counter"
                                                                      : "row";
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (found.wrong > 0) add(fmt::format("{} wrong", counted(found.wrong, noun)));
  if (found.missing > 0) add(fmt::format("{} missing", counted(found.missing, noun)));
  if (found.found < found.expected || found.found > found.expected + found.in_doubt) {
    add(fmt::format("{} found where {} {} acknowledged", count_text(found.found),
                    count_text(found.expected), found.expected == 1 ? "was" : "were"));
    if (found.in_doubt > 0) text += fmt::format(" and {} in doubt", count_text(found.in_doubt));
  }
  if (!found.first_fault.empty()) text += "; first: " + line_of(found.first_fault);
  return text;
}

// What verification says of a round where there is something to say: what does not fit, or that
// what was in doubt does.
std::string judged(FormScenario scenario, const CellVerification& found) {
  if (!found.ok() || found.in_doubt == 0) return mismatch(scenario, found);
  return fmt::format("{} acknowledged and {} in doubt, {} found: that fits",
                     count_text(found.expected), count_text(found.in_doubt),
                     count_text(found.found));
}

// All that is not right with a round, errors apart, in one line.
std::string round_fault(FormScenario scenario, const CellRound& round) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  };
  if (round.interrupted) add("interrupted");
  if (round.problem) add(line_of(*round.problem));
  if (!round.verification && !round.problem && !round.interrupted) add("not verified");
  if (round.verification)
    add(round.summary.errors > 0 ? judged(scenario, *round.verification)
                                 : mismatch(scenario, *round.verification));
  return text;
}

// The errors of all rounds of a cell by kind, with the first message of each.
std::vector<measure::ErrorCount> errors_of(const FormCell& cell) {
  measure::ErrorCounts errors;
  for (const CellRound& round : cell.rounds)
    for (const auto& error : round.summary.errors_by_kind)
      errors.add(error.kind, error.first_message, error.count);
  return errors.kinds();
}

void add_findings(const FormScenarioResult& scenario, const FormCell& cell, uint32_t rounds,
                  std::vector<std::string>& lines) {
  if (!cell.not_available.empty()) return;
  const char* name = measure::form_name(cell.form);
  for (const CellRound& round : cell.rounds)
    if (const std::string fault = round_fault(scenario.scenario, round); !fault.empty())
      lines.push_back(fmt::format("{}, round {}: {}", name, round.round + 1, fault));
  for (const auto& error : errors_of(cell))
    lines.push_back(fmt::format("{}: {} {}: {}", name, count_text(error.count), error.kind,
                                line_of(error.first_message)));
  if (!cell.rounds.empty() && cell.rounds.size() < rounds)
    lines.push_back(
        fmt::format("{}: {} of {} run", name, cell.rounds.size(), counted(rounds, "round")));
}

}  // namespace

FormFindings form_findings(const FormScenarioResult& scenario, uint32_t rounds) {
  const Totals totals = totals_of(scenario, rounds);
  FormFindings findings;
  findings.right = totals.missing + totals.interrupted + totals.wrong == 0;
  findings.verdict = verdict_of(scenario, totals, rounds);
  for (const FormCell& cell : scenario.cells) add_findings(scenario, cell, rounds, findings.lines);
  return findings;
}

}  // namespace cqlperf::report
