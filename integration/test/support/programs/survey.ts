import type { VersionedMemoryProvider } from "@jaf/memory";
import { createSaboteur } from "../crash/saboteur.ts";
import { type History, type HistoryEvent, historyOf } from "./history.ts";
import type { Program } from "./program.ts";
import { recordStore } from "./recorded-store.ts";
import { createRecorder } from "./recorder.ts";

const SURVEYOR = { worker: -1, operation: 0, attempt: 1 };

/** Reads everything that a program can have stored, in every way, and adds it to the history. */
export async function surveyed(
  store: VersionedMemoryProvider,
  program: Program,
  events: readonly HistoryEvent[],
): Promise<History> {
  const seen: HistoryEvent[] = [];
  const record = createRecorder({
    tell: (event) => void seen.push(event),
    mortal: createSaboteur().open(),
    travel: async () => {},
  });
  const recorded = recordStore({ store, record, place: SURVEYOR, kind: "survey" });
  const reads = [
    ...program.conversationIds.flatMap((id) => [
      () => recorded.readConversation(id),
      () => recorded.exportConversation(id),
      () => recorded.getConversation(id),
    ]),
    ...program.userIds.map((userId) => () => recorded.findConversations({ userId })),
  ];
  for (const read of reads) {
    const result = await read();
    if (!result.success) throw new Error(`the store can't be read: ${result.error.message}`);
  }
  return historyOf([...events, ...seen]);
}
