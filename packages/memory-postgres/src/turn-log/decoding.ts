import type { EventPage, LoggedTurn, TurnWriter } from "@jaf/memory";
import * as z from "zod";
import type { SqlRow } from "../client/port.ts";

const turnSchema = z
  .object({
    conversationId: z.string(),
    userId: z.string(),
    turnId: z.string(),
    state: z.enum(["running", "waiting", "ended"]),
    startedAt: z.number(),
    events: z.number(),
    stopRequested: z.boolean(),
    record: z.string().nullable(),
  })
  .transform(
    ({ record, startedAt, ...turn }): LoggedTurn => ({
      ...turn,
      startedAt: new Date(startedAt),
      ...(record === null ? {} : { record }),
    }),
  );

const textsSchema = z.array(z.array(z.string()));

/** Of the column `turn`. */
export const toTurn = (row: SqlRow): LoggedTurn => turnSchema.parse(JSON.parse(row["turn"] ?? "null"));

interface AskedEvents {
  /** The number of the first one. */
  readonly first: number;
  readonly limit: number;
}

/** Of the columns `turn`, `start`, the number of the first of the texts, and `texts`, those of each append that was found. */
export function toPage(row: SqlRow, { first, limit }: AskedEvents): EventPage {
  const turn = toTurn(row);
  const { start, texts } = row;
  if (start == null || texts == null) return { turn, events: [] };
  const begin = first - Number(start);
  const events = textsSchema.parse(JSON.parse(texts)).flat();
  return { turn, events: events.slice(begin, begin + limit) };
}

export const writerOf = ({ conversationId, turnId }: LoggedTurn, token: string): TurnWriter => ({
  conversationId,
  turnId,
  token,
});
