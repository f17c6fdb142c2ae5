import { expect } from "vitest";
import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";
import type {
  AppendedEvents,
  NewTurn,
  TurnEnding,
  TurnLog,
  TurnWriter,
  WriterAnswer,
} from "../../turn-log/turn-log.ts";
import { expectOk } from "../fixtures/expectations.ts";
import { sleep } from "../fixtures/timing.ts";

/** Two logs on the same storage. They are the same object if the storage only exists in one process. */
interface TurnLogScenario {
  readonly log: TurnLog;
  readonly other: TurnLog;
  readonly provider?: VersionedMemoryProvider | undefined;
  readonly contents?: (() => Promise<string>) | undefined;
}

export type TurnLogRules = Readonly<Record<string, (scenario: TurnLogScenario) => Promise<void>>>;

export const newTurn = (fields: Partial<NewTurn> = {}): NewTurn => ({
  conversationId: "c",
  userId: "u",
  turnId: "t",
  request: "{}",
  leaseSeconds: 600,
  keepSeconds: 6_000,
  ...fields,
});

export const ending = (fields: Partial<TurnEnding> = {}): TurnEnding => ({
  state: "ended",
  record: "{}",
  eventSeconds: 600,
  recordSeconds: 6_000,
  ...fields,
});

/** Begins a turn and returns its writer. The test fails if no turn began. */
export async function begin(log: TurnLog, fields?: Partial<NewTurn>): Promise<TurnWriter> {
  const turn = expectOk(await log.begin(newTurn(fields)));
  return turn.begun ? turn.writer : expect.fail(`"${turn.running.turnId}" runs`);
}

export const append = async (
  log: TurnLog,
  writer: TurnWriter,
  added: Partial<Omit<AppendedEvents, "writer">> = {},
): Promise<WriterAnswer> => expectOk(await log.append({ writer, first: 0, events: [], ...added }));

/** Begins a turn and ends it. */
export async function endedTurn(
  log: TurnLog,
  turn: Partial<NewTurn> = {},
  end: Partial<TurnEnding> = {},
): Promise<TurnWriter> {
  const writer = await begin(log, turn);
  expect(await append(log, writer, { events: ["0"], end: ending(end) })).toMatchObject({ held: true });
  return writer;
}

export const eventsOf = async (
  log: TurnLog,
  turnId = "t",
  conversationId = "c",
): Promise<readonly string[] | undefined> =>
  expectOk(await log.read({ conversationId, turnId, limit: 10_000 }))?.events;

/** Waits until `isSo` returns `true`. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  // `expect.poll` can't be used in concurrent tests.
  for (const giveUpAt = Date.now() + 30_000; Date.now() < giveUpAt; await sleep(50)) {
    if (await isSo()) return;
  }
  expect.fail(`never happened: ${what}`);
}

export const HELD = { held: true, stopRequested: false };
export const LOST = { held: false };
export const turnT = { conversationId: "c", turnId: "t" };
