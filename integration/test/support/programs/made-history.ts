import type { Call, Ended, ErasureCall, History, ReadCall, Reading, WriteCall } from "./history.ts";

/** Begin and end of a call. Without an end, its outcome is unknown. */
type Times = readonly [begin: number, end?: number];

const CONVERSATION = "c";

const called = (kind: Call["kind"], [begin, end]: Times, worker: number) => ({
  place: { worker, operation: begin, attempt: 1 },
  kind,
  begin,
  outcome: end === undefined ? ("unknown" as const) : ("done" as const),
  ...(end === undefined ? {} : { end }),
});

/** An append. `more`: its other fields. */
export const wrote = (
  times: Times,
  texts: readonly string[],
  more: Partial<Ended<WriteCall>> = {},
): Ended<WriteCall> => ({
  ...called("append", times, 0),
  ...{ type: "write", conversationId: CONVERSATION, mode: "append", creates: true, changesMetadata: false },
  texts,
  ...more,
});

export const deleted = (times: Times): Ended<ErasureCall> => ({
  ...called("delete", times, 1),
  type: "erasure",
  conversationId: CONVERSATION,
});

export const cleared = (times: Times, userId: string): Ended<ErasureCall> => ({
  ...called("clear", times, 1),
  type: "erasure",
  userId,
});

/** A complete reading of an existing conversation. */
export const read = (
  times: readonly [begin: number, end: number],
  texts: readonly string[],
  more: Partial<Reading> = {},
): Ended<ReadCall> => ({
  ...called("read", times, 2),
  type: "read",
  readings: [{ conversationId: CONVERSATION, isThere: true, isWhole: true, texts, ...more }],
});

export const readNothing = (times: readonly [begin: number, end: number]): Ended<ReadCall> =>
  read(times, [], { isThere: false });

export const madeHistory = (calls: readonly Ended<Call>[], more: Partial<History> = {}): History => ({
  calls: calls.toSorted((a, b) => a.begin - b.begin),
  uses: [],
  runs: [],
  ...more,
});
