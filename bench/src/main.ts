import { engineContenders, engineScenarios } from "./engine.ts";
import { type Measured, measure } from "./statistics.ts";

const TARGET = 0.8;
const ROUNDS = { warmUp: 300, rounds: 2_000 };

const microseconds = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} µs`;

function row(title: string, [ours, theirs]: readonly Measured[]): string {
  if (ours === undefined || theirs === undefined) throw new Error("A contender was not measured.");
  const cells = [title, ours.p50, ours.p99, theirs.p50, theirs.p99].map((cell) =>
    typeof cell === "number" ? microseconds(cell) : cell,
  );
  return `| ${[...cells, (ours.p50 / theirs.p50).toFixed(2)].join(" | ")} |`;
}

const contendersOf = await engineContenders();
const print = console.log;
print("Engine overhead a run with an instant model, both engines interleaved in this process:\n");
print("| | @jaf/core p50 | p99 | @xynehq/jaf p50 | p99 | ratio of p50 |");
print("|---|---|---|---|---|---|");
// The other engine logs several lines a turn; writing them is not what is compared.
console.log = () => {};
for (const scenario of engineScenarios)
  print(row(scenario.title, await measure(contendersOf(scenario), ROUNDS)));
print(
  `\nTarget: at most ${TARGET} with 10 tool turns. Node ${process.version}, ${ROUNDS.rounds} rounds each.`,
);
