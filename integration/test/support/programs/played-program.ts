import type { Problem } from "./check/timeline.ts";
import type { Call, Ended, History } from "./history.ts";
import type { Operation, Program } from "./program.ts";

/** A played program and its broken rules. */
export interface PlayedProgram {
  readonly program: Program;
  readonly history: History;
  readonly problems: readonly Problem[];
}

const MOST_PROBLEMS = 5;
const MOST_CALLS = 60;
const MOST_CHARACTERS = 40;

/** Shortens ids for the report. */
const shortened = (value: unknown): string =>
  JSON.stringify(value, (_, field: unknown) =>
    typeof field === "string" && field.length > MOST_CHARACTERS
      ? `${field.slice(0, MOST_CHARACTERS / 2)}…${field.slice(-MOST_CHARACTERS / 2)}`
      : field,
  );

const describeOperation = ({ kind, ...rest }: Operation): string => `${kind} ${shortened(rest)}`;

const describeProgram = ({ conversationIds, userIds, workers }: Program): readonly string[] => [
  `conversations ${shortened(conversationIds)}, users ${shortened(userIds)}`,
  ...workers.flatMap((operations, worker) =>
    operations.map((operation, index) => `  ${worker}.${index} ${describeOperation(operation)}`),
  ),
];

/** Begin and end in microseconds since the program's begin. */
function describeCall(call: Ended<Call>, start: number): string {
  const { place, kind, begin, end, outcome, reason, readings, conversationId: _, ...rest } = call;
  const { worker, operation, attempt } = place;
  const time = (at: number | undefined) => (at === undefined ? "?" : Math.round((at - start) / 1_000));
  const who = worker < 0 ? "survey" : `${worker}.${operation}.${attempt} ${kind}`;
  const read = readings?.map(({ conversationId: __, ...reading }) => shortened(reading)) ?? [];
  const said = shortened(rest);
  return [`  [${time(begin)}, ${time(end)}] ${who}: ${outcome} ${reason ?? ""} ${said}`, ...read].join(
    " => ",
  );
}

const concerns = (call: Ended<Call>, conversationId: string): boolean =>
  call.type === "erasure"
    ? call.conversationId === undefined || call.conversationId === conversationId
    : call.conversationId === conversationId ||
      (call.readings ?? []).some((reading) => reading.conversationId === conversationId);

/** Describes the seed, the broken rules, the program, and the calls on the conversation with the first broken rule. */
export function describeFailed({ program, history, problems }: PlayedProgram): string {
  const [first] = problems;
  const start = history.calls[0]?.begin ?? 0;
  const calls = history.calls.filter((call) => concerns(call, first?.conversationId ?? ""));
  return [
    `seed ${program.seed}: ${problems.length} problems`,
    ...problems.slice(0, MOST_PROBLEMS).map(({ rule, detail }) => `  ${rule}: ${detail}`),
    ...describeProgram(program),
    `calls that concern ${shortened(first?.conversationId)}:`,
    ...calls.slice(0, MOST_CALLS).map((call) => describeCall(call, start)),
  ].join("\n");
}
