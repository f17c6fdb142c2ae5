import { describe, expect, it } from "vitest";
import { checkHistory } from "./support/programs/check/check-history.ts";
import type { Call, Ended, History } from "./support/programs/history.ts";
import { cleared, deleted, madeHistory, read, readNothing, wrote } from "./support/programs/made-history.ts";

const rulesBrokenBy = (calls: readonly Ended<Call>[], more?: Partial<History>): readonly string[] => [
  ...new Set(checkHistory(madeHistory(calls, more)).map(({ rule }) => rule)),
];

const [a, b] = ["0:0.0 batch 1/1", "0:0.1 batch 1/1"];
const one = ["0:0.2 batch 1/2", "0:0.2 batch 2/2"];
const basis = (end: number, texts: readonly string[], more = {}) => ({
  basis: { isThere: true, end, texts, ...more },
});
const state = (incarnation: string, version: number, total: number) => ({
  ...{ incarnation, version, metadataVersion: 0, totalMessages: total, nextPosition: total },
});

describe("the check accepts", () => {
  it.each<[string, readonly Ended<Call>[]]>([
    ["messages that are written and read", [wrote([1, 2], [a]), wrote([3, 4], [b]), read([5, 6], [a, b])]],
    [
      "messages of a write after a deletion",
      [wrote([1, 2], [a]), deleted([3, 4]), wrote([5, 6], [b]), read([7, 8], [b])],
    ],
    [
      "a write during an erasure, readable afterwards",
      [wrote([1, 4], [a]), deleted([2, 3]), read([5, 6], [a])],
    ],
    [
      "a write during an erasure, not readable afterwards",
      [wrote([1, 4], [a]), deleted([2, 3]), readNothing([5, 6])],
    ],
    ["messages that are read during their erasure", [wrote([1, 2], [a]), deleted([3, 6]), read([4, 5], [a])]],
    [
      "an erased and imported conversation",
      [
        wrote([1, 2], [a]),
        deleted([3, 4]),
        wrote([5, 6], [a], { mode: "import", version: 1 }),
        read([7, 8], [a]),
      ],
    ],
    [
      "an erasure of another user's conversations",
      [wrote([1, 2], [a], { userId: "u" }), cleared([3, 4], "v"), read([5, 6], [a], { owner: "u" })],
    ],
    [
      "a write with an unknown outcome, stored or not",
      [wrote([1], [a]), readNothing([2, 3]), read([4, 5], [a])],
    ],
    [
      "the same write twice under one key",
      [
        wrote([1, 2], [a], { idempotencyKey: "k" }),
        wrote([3, 4], [a], { idempotencyKey: "k" }),
        read([5, 6], [a]),
      ],
    ],
    [
      "a pop",
      [
        wrote([1, 2], [a]),
        wrote([3, 4], [b]),
        wrote([7, 8], [], { dropLast: 1, ...basis(6, [a, b]) }),
        read([9, 10], [a]),
      ],
    ],
    [
      "a pop of one of two equal questions",
      [
        wrote([1, 2], ["0:0.0 question"]),
        wrote([3, 4], ["0:0.0 question"]),
        wrote([7, 8], [], { dropLast: 1, ...basis(6, ["0:0.0 question", "0:0.0 question"]) }),
        read([9, 10], ["0:0.0 question"]),
      ],
    ],
    [
      "rising versions",
      [
        wrote([1, 2], [a]),
        read([3, 4], [a], state("i", 1, 1)),
        wrote([5, 6], [b]),
        read([7, 8], [a, b], state("i", 2, 2)),
      ],
    ],
  ])("%s", (_what, calls) => {
    expect(rulesBrokenBy(calls)).toEqual([]);
  });
});

describe("erased data is not readable", () => {
  const rule = "erased data is not readable";

  it.each<[string, readonly Ended<Call>[]]>([
    ["after a deletion", [wrote([1, 2], [a]), deleted([3, 4]), read([5, 6], [a])]],
    ["after a clearing", [wrote([1, 2], [a], { userId: "u" }), cleared([3, 4], "u"), read([5, 6], [a])]],
    [
      "after a clearing of the owner that a read returned",
      [wrote([1, 2], [a]), read([3, 4], [a], { owner: "u" }), cleared([5, 6], "u"), read([7, 8], [a])],
    ],
    [
      "if it was read before, although its write ended later",
      [wrote([1, 9], [a]), read([2, 3], [a]), deleted([4, 5]), read([10, 11], [a])],
    ],
    [
      "if its write was decided on data that was loaded before",
      [
        wrote([1, 2], [a]),
        deleted([5, 6]),
        wrote([3, 9], [b], { kind: "run", ...basis(4, [a]) }),
        read([10, 11], [b]),
      ],
    ],
    [
      "in a part of a conversation",
      [wrote([1, 2], [a]), deleted([3, 4]), read([5, 6], [a], { isWhole: false })],
    ],
    ["as a title", [wrote([1, 2], [], { title: "t" }), deleted([3, 4]), read([5, 6], [], { title: "t" })]],
  ])("%s", (_what, calls) => {
    expect(rulesBrokenBy(calls)).toContain(rule);
  });

  it("its incarnation ends", () => {
    const calls = [
      wrote([1, 2], [a]),
      read([3, 4], [a], state("i", 1, 1)),
      deleted([5, 6]),
      wrote([7, 8], [b]),
      read([9, 10], [b], state("i", 1, 1)),
    ];
    expect(rulesBrokenBy(calls)).toContain("an incarnation ends with its erasure");
  });

  it("writes decided on it are refused, even without messages", () => {
    const sign = wrote([5, 6], [], { kind: "run", ...basis(2, [a]) });
    expect(rulesBrokenBy([wrote([0, 1], [a]), deleted([3, 4]), sign])).toEqual([
      "writes decided on erased data are refused",
    ]);
  });
});

describe("the check reports", () => {
  it.each<[string, string, readonly Ended<Call>[]]>([
    [
      "an acknowledged write that is missing",
      "acknowledged messages are readable",
      [wrote([1, 2], [a]), readNothing([3, 4])],
    ],
    [
      "a missing write that an earlier erasure can't explain",
      "acknowledged messages are readable",
      [deleted([1, 2]), wrote([3, 4], [a]), readNothing([5, 6])],
    ],
    [
      "a missing write whose incarnation still exists",
      "acknowledged messages are readable",
      [
        wrote([1, 2], [a]),
        read([3, 4], [a], state("i", 1, 1)),
        wrote([5, 6], [b]),
        deleted([7]),
        read([9, 10], [a], state("i", 1, 1)),
        ...[read([11, 12], [a], state("i", 1, 1))],
      ],
    ],
    [
      "a pop that removes another message than it read",
      "acknowledged messages are readable",
      [
        wrote([1, 2], [a]),
        wrote([3, 5], [b]),
        wrote([6, 7], [], { dropLast: 1, ...basis(4, [a]) }),
        read([8, 9], [a]),
      ],
    ],
    [
      "a message that was never written",
      "readable messages were written",
      [read([1, 2], ["0:9.9 batch 1/1"])],
    ],
    [
      "a message of a refused write",
      "readable messages were written",
      [wrote([1, 2], [a], { outcome: "refused" }), read([3, 4], [a])],
    ],
    ["a message that is stored twice", "a write is stored once", [wrote([1, 2], [a]), read([3, 4], [a, a])]],
    ["half a batch", "batches and turns are whole", [wrote([1, 2], one), read([3, 4], one.slice(0, 1))]],
    [
      "a batch with another batch in its middle",
      "batches and turns are whole",
      [wrote([1, 2], one), wrote([1, 2], [a]), read([3, 4], [one[0] ?? "", a, one[1] ?? ""])],
    ],
    [
      "an answer to another run's question",
      "batches and turns are whole",
      [
        wrote([1, 2], ["0:0.0 question"]),
        wrote([3, 4], [a]),
        wrote([5, 6], ["0:0.0 reply 1.1"]),
        read([7, 8], ["0:0.0 question", a, "0:0.0 reply 1.1"]),
      ],
    ],
    [
      "a later write that comes first",
      "messages are in the order of their writes",
      [wrote([1, 2], [a]), wrote([3, 4], [b]), read([5, 6], [b, a])],
    ],
    [
      "a popped message that comes back",
      "removed messages stay removed",
      [
        wrote([1, 2], [a]),
        read([3, 4], [a]),
        wrote([5, 6], [], { dropLast: 1, ...basis(4, [a]) }),
        read([7, 8], [a]),
      ],
    ],
    [
      "two pops of one message",
      "an item is popped once",
      [
        wrote([1, 2], [a]),
        wrote([5, 6], [], { dropLast: 1, ...basis(4, [a]) }),
        wrote([5, 6], [], { dropLast: 1, ...basis(4, [a]), place: { worker: 5, operation: 0, attempt: 1 } }),
      ],
    ],
    [
      "two states with one version",
      "a version is used once",
      [
        wrote([1, 2], [a]),
        wrote([1], [b]),
        read([3, 4], [a], state("i", 1, 1)),
        read([5, 6], [a, b], state("i", 1, 2)),
      ],
    ],
    [
      "a version that decreases",
      "a version is used once",
      [wrote([1, 2], [a]), read([3, 4], [a], state("i", 2, 1)), read([5, 6], [a], state("i", 1, 1))],
    ],
    [
      "two writes that expect one version",
      "a version is used once",
      [
        wrote([1, 2], [a], { expectedVersion: 1, expectedIncarnation: "i" }),
        wrote([3, 4], [b], { expectedVersion: 1, expectedIncarnation: "i" }),
        read([5, 6], [a, b]),
      ],
    ],
    [
      "a write that expects an outdated version",
      "a version is used once",
      [
        wrote([1, 2], [a]),
        read([3, 4], [a], state("i", 3, 1)),
        wrote([5, 6], [b], { expectedVersion: 2, expectedIncarnation: "i" }),
      ],
    ],
    [
      "different metadata with one version",
      "a version is used once",
      [
        wrote([1, 2], [a], { title: "s" }),
        wrote([1, 2], [], { title: "t" }),
        read([3, 4], [a], { ...state("i", 1, 1), title: "s" }),
        read([5, 6], [a], { ...state("i", 1, 1), title: "t" }),
      ],
    ],
    [
      "two conversations with one incarnation",
      "an incarnation belongs to one conversation",
      [
        wrote([1, 2], [a]),
        read([3, 4], [a], state("i", 1, 1)),
        read([3, 4], [], { ...state("i", 1, 0), conversationId: "d" }),
      ],
    ],
    [
      "two versions for one write",
      "each state is explained by writes",
      [wrote([1, 2], [a]), read([3, 4], [a], state("i", 2, 1))],
    ],
    [
      "one version for two writes",
      "each state is explained by writes",
      [wrote([1, 2], [a]), wrote([3, 4], [b]), read([5, 6], [a, b], state("i", 1, 2))],
    ],
    [
      "a lost increment",
      "no acknowledged increment is lost",
      [
        wrote([1, 2], [], { kind: "increment", counter: 1, expectedIncarnation: "i" }),
        wrote([1, 3], [], { kind: "increment", counter: 1, expectedIncarnation: "i" }),
      ],
    ],
    [
      "a counter below an acknowledged value",
      "no acknowledged increment is lost",
      [
        wrote([1, 2], [], { kind: "increment", counter: 2, expectedIncarnation: "i" }),
        read([3, 4], [], { ...state("i", 1, 0), counter: 1 }),
      ],
    ],
    [
      "a wrong count of messages",
      "the counters are right",
      [wrote([1, 2], [a]), read([3, 4], [a], { totalMessages: 2, nextPosition: 2 })],
    ],
  ])("%s", (_what, rule, calls) => {
    expect(rulesBrokenBy(calls)).toContain(rule);
  });
});

describe("after a run has ended", () => {
  const place = (attempt: number) => ({ worker: 0, operation: 1, attempt });
  const turn = ["0:0.1 question", "0:0.1 reply 1.1"];
  const ended = wrote([1, 2], turn, { kind: "run", place: place(1), finals: turn.slice(1), ...basis(0, []) });
  const asked = { conversationId: "c", place: place(2) };

  it("no tool runs again", () => {
    const uses = [{ ...asked, idempotencyKey: "k", at: 5 }];
    expect(rulesBrokenBy([ended, read([6, 7], turn)], { uses })).toEqual([
      "no tool runs again for a run that had ended",
    ]);
    expect(rulesBrokenBy([ended, deleted([3, 4])], { uses })).toEqual([]);
  });

  it("its answer is the stored one", () => {
    const runs = [{ ...asked, begin: 5, end: 6, outcome: "completed", output: "another" }];
    expect(rulesBrokenBy([ended], { runs })).toContain("a run that had ended has its outcome");
  });

  it("its answer is stored", () => {
    const runs = [{ ...asked, begin: 5, end: 6, outcome: "completed", output: "0:0.1 reply 2.1" }];
    expect(rulesBrokenBy([wrote([1, 2], [a])], { runs })).toEqual(["what a run answered is stored"]);
  });

  it("a rename doesn't cause a conflict", () => {
    const runs = [{ ...asked, begin: 1, end: 6, outcome: "MemoryConflictError version" }];
    const rename = wrote([2, 3], [], { creates: false, changesMetadata: true, title: "t" });
    const rule = "no run ends with a conflict without a cause";
    expect(rulesBrokenBy([rename], { runs })).toEqual([rule]);
    expect(rulesBrokenBy([rename, wrote([4, 5], [a])], { runs })).toEqual([]);
  });
});
