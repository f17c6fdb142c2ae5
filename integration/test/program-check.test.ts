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

describe("nothing is wrong with", () => {
  it.each<[string, readonly Ended<Call>[]]>([
    ["what is written and read", [wrote([1, 2], [a]), wrote([3, 4], [b]), read([5, 6], [a, b])]],
    ["what a later call wrote", [wrote([1, 2], [a]), deleted([3, 4]), wrote([5, 6], [b]), read([7, 8], [b])]],
    ["a write beside an erasure that is there", [wrote([1, 4], [a]), deleted([2, 3]), read([5, 6], [a])]],
    ["a write beside an erasure that is gone", [wrote([1, 4], [a]), deleted([2, 3]), readNothing([5, 6])]],
    ["what is read while it is erased", [wrote([1, 2], [a]), deleted([3, 6]), read([4, 5], [a])]],
    [
      "what is erased and imported",
      [
        wrote([1, 2], [a]),
        deleted([3, 4]),
        wrote([5, 6], [a], { mode: "import", version: 1 }),
        read([7, 8], [a]),
      ],
    ],
    [
      "an erasure of another user's",
      [wrote([1, 2], [a], { userId: "u" }), cleared([3, 4], "v"), read([5, 6], [a], { owner: "u" })],
    ],
    [
      "a write of which nobody heard, there or not",
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
      "a pop of one of two questions that are the same",
      [
        wrote([1, 2], ["0:0.0 question"]),
        wrote([3, 4], ["0:0.0 question"]),
        wrote([7, 8], [], { dropLast: 1, ...basis(6, ["0:0.0 question", "0:0.0 question"]) }),
        read([9, 10], ["0:0.0 question"]),
      ],
    ],
    [
      "versions that rise",
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

describe("what is erased isn't readable", () => {
  const rule = "what is erased isn't readable";

  it.each<[string, readonly Ended<Call>[]]>([
    ["behind a deletion", [wrote([1, 2], [a]), deleted([3, 4]), read([5, 6], [a])]],
    ["behind a clearing", [wrote([1, 2], [a], { userId: "u" }), cleared([3, 4], "u"), read([5, 6], [a])]],
    [
      "behind a clearing of whom it was read to belong to",
      [wrote([1, 2], [a]), read([3, 4], [a], { owner: "u" }), cleared([5, 6], "u"), read([7, 8], [a])],
    ],
    [
      "where it was seen before, though its write ended later",
      [wrote([1, 9], [a]), read([2, 3], [a]), deleted([4, 5]), read([10, 11], [a])],
    ],
    [
      "where it was decided on what was loaded before",
      [
        wrote([1, 2], [a]),
        deleted([5, 6]),
        wrote([3, 9], [b], { kind: "run", ...basis(4, [a]) }),
        read([10, 11], [b]),
      ],
    ],
    [
      "in part of a conversation",
      [wrote([1, 2], [a]), deleted([3, 4]), read([5, 6], [a], { isWhole: false })],
    ],
    ["as a title", [wrote([1, 2], [], { title: "t" }), deleted([3, 4]), read([5, 6], [], { title: "t" })]],
  ])("%s", (_what, calls) => {
    expect(rulesBrokenBy(calls)).toContain(rule);
  });

  it("and no incarnation outlives it", () => {
    const calls = [
      wrote([1, 2], [a]),
      read([3, 4], [a], state("i", 1, 1)),
      deleted([5, 6]),
      wrote([7, 8], [b]),
      read([9, 10], [b], state("i", 1, 1)),
    ];
    expect(rulesBrokenBy(calls)).toContain("an incarnation ends with its erasure");
  });

  it("and nothing that was decided on it is acknowledged, be it no message", () => {
    const sign = wrote([5, 6], [], { kind: "run", ...basis(2, [a]) });
    expect(rulesBrokenBy([wrote([0, 1], [a]), deleted([3, 4]), sign])).toEqual([
      "what was decided on what is erased is refused",
    ]);
  });
});

describe("a rule is broken by", () => {
  it.each<[string, string, readonly Ended<Call>[]]>([
    [
      "an acknowledged write that is missing",
      "what is acknowledged is there",
      [wrote([1, 2], [a]), readNothing([3, 4])],
    ],
    [
      "one that an erasure of before can't explain",
      "what is acknowledged is there",
      [deleted([1, 2]), wrote([3, 4], [a]), readNothing([5, 6])],
    ],
    [
      "one that no erasure can explain, as the incarnation lives on",
      "what is acknowledged is there",
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
      "a pop that takes another message than it read",
      "what is acknowledged is there",
      [
        wrote([1, 2], [a]),
        wrote([3, 5], [b]),
        wrote([6, 7], [], { dropLast: 1, ...basis(4, [a]) }),
        read([8, 9], [a]),
      ],
    ],
    ["what nobody wrote", "what is readable was written", [read([1, 2], ["0:9.9 batch 1/1"])]],
    [
      "what was refused",
      "what is readable was written",
      [wrote([1, 2], [a], { outcome: "refused" }), read([3, 4], [a])],
    ],
    ["a message that is there twice", "a write is stored once", [wrote([1, 2], [a]), read([3, 4], [a, a])]],
    ["half a batch", "batches and turns are whole", [wrote([1, 2], one), read([3, 4], one.slice(0, 1))]],
    [
      "a batch with another in its middle",
      "batches and turns are whole",
      [wrote([1, 2], one), wrote([1, 2], [a]), read([3, 4], [one[0] ?? "", a, one[1] ?? ""])],
    ],
    [
      "an answer to another's question",
      "batches and turns are whole",
      [
        wrote([1, 2], ["0:0.0 question"]),
        wrote([3, 4], [a]),
        wrote([5, 6], ["0:0.0 reply 1.1"]),
        read([7, 8], ["0:0.0 question", a, "0:0.0 reply 1.1"]),
      ],
    ],
    [
      "a later write that stands first",
      "messages are in the order of their writes",
      [wrote([1, 2], [a]), wrote([3, 4], [b]), read([5, 6], [b, a])],
    ],
    [
      "what was popped and comes back",
      "what is taken away is gone",
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
      "a version of two states",
      "a version is used once",
      [
        wrote([1, 2], [a]),
        wrote([1], [b]),
        read([3, 4], [a], state("i", 1, 1)),
        read([5, 6], [a, b], state("i", 1, 2)),
      ],
    ],
    [
      "a version that goes back",
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
      "a write that expects what has passed",
      "a version is used once",
      [
        wrote([1, 2], [a]),
        read([3, 4], [a], state("i", 3, 1)),
        wrote([5, 6], [b], { expectedVersion: 2, expectedIncarnation: "i" }),
      ],
    ],
    [
      "metadata of one version that differ",
      "a version is used once",
      [
        wrote([1, 2], [a], { title: "s" }),
        wrote([1, 2], [], { title: "t" }),
        read([3, 4], [a], { ...state("i", 1, 1), title: "s" }),
        read([5, 6], [a], { ...state("i", 1, 1), title: "t" }),
      ],
    ],
    [
      "an incarnation of two conversations",
      "an incarnation is of one conversation",
      [
        wrote([1, 2], [a]),
        read([3, 4], [a], state("i", 1, 1)),
        read([3, 4], [], { ...state("i", 1, 0), conversationId: "d" }),
      ],
    ],
    [
      "two versions for one write",
      "each state follows from writes",
      [wrote([1, 2], [a]), read([3, 4], [a], state("i", 2, 1))],
    ],
    [
      "one version for two writes",
      "each state follows from writes",
      [wrote([1, 2], [a]), wrote([3, 4], [b]), read([5, 6], [a, b], state("i", 1, 2))],
    ],
    [
      "an increment that is lost",
      "no acknowledged increment is lost",
      [
        wrote([1, 2], [], { kind: "increment", counter: 1, expectedIncarnation: "i" }),
        wrote([1, 3], [], { kind: "increment", counter: 1, expectedIncarnation: "i" }),
      ],
    ],
    [
      "a counter that is read as less than acknowledged",
      "no acknowledged increment is lost",
      [
        wrote([1, 2], [], { kind: "increment", counter: 2, expectedIncarnation: "i" }),
        read([3, 4], [], { ...state("i", 1, 0), counter: 1 }),
      ],
    ],
    [
      "a count that isn't that of the messages",
      "the counters are right",
      [wrote([1, 2], [a]), read([3, 4], [a], { totalMessages: 2, nextPosition: 2 })],
    ],
  ])("%s", (_what, rule, calls) => {
    expect(rulesBrokenBy(calls)).toContain(rule);
  });
});

describe("of a run that had ended", () => {
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

  it("the answer is the stored one", () => {
    const runs = [{ ...asked, begin: 5, end: 6, outcome: "completed", output: "another" }];
    expect(rulesBrokenBy([ended], { runs })).toContain("a run that had ended has its outcome");
  });

  it("the answer is stored", () => {
    const runs = [{ ...asked, begin: 5, end: 6, outcome: "completed", output: "0:0.1 reply 2.1" }];
    expect(rulesBrokenBy([wrote([1, 2], [a])], { runs })).toEqual(["what a run answered is stored"]);
  });

  it("a rename is no cause of a conflict", () => {
    const runs = [{ ...asked, begin: 1, end: 6, outcome: "MemoryConflictError version" }];
    const rename = wrote([2, 3], [], { creates: false, changesMetadata: true, title: "t" });
    const rule = "no run ends with a conflict without a cause";
    expect(rulesBrokenBy([rename], { runs })).toEqual([rule]);
    expect(rulesBrokenBy([rename, wrote([4, 5], [a])], { runs })).toEqual([]);
  });
});
