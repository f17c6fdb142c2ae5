import * as z from "zod";
import { CHAIN_START } from "../audit.ts";
import type { UserHead } from "../backend.ts";

const count = z.int().min(0);

const stateSchema = z.object({
  /** The format of the state. Absent: 1. A newer release's state must not be read, because a write would drop its fields. */
  format: z.literal(1).optional(),
  /** When the user's memory was last erased, in milliseconds since 1970; 0 if never. */
  erasedAt: z.number(),
  facts: count,
  /** Number of active and superseded facts that the user neither stated nor confirmed. Quotations don't count. */
  untrusted: count,
  quarantined: count,
  /** Number of quotations among the facts. */
  quotations: count,
  audit: z.object({ seq: count, hash: z.string() }),
  /** For each source of inferred facts: a hash of the source, the number of facts, and the start of the time window. */
  extracted: z.array(z.tuple([z.string(), count, z.number()])),
});

/** The state in a user's head record: counts of facts, the end of the audit trail, and the time of the last erasure. */
export type HeadState = Readonly<z.infer<typeof stateSchema>>;

const NEW: HeadState = {
  erasedAt: 0,
  facts: 0,
  untrusted: 0,
  quarantined: 0,
  quotations: 0,
  audit: CHAIN_START,
  extracted: [],
};

/** Parses the state in a user's head record. Without a head, returns the state of a new user. */
export function readState(head: UserHead | null): HeadState {
  // Throws if the state is damaged, so that no write replaces it.
  if (head === null) return NEW;
  const parsed = stateSchema.safeParse(parseJson(head.state));
  if (!parsed.success) throw new Error("the user's head row has an unknown format; upgrade this process");
  return parsed.data;
}

/** Returns the number of active and superseded facts that the user stated or confirmed. */
export const countUsersWords = ({ facts, untrusted, quarantined, quotations }: HeadState): number =>
  facts - untrusted - quarantined - quotations;

export const writeState = (state: HeadState): string => JSON.stringify(state);

/** Returns the state of a user's head record after an erasure. */
export const erasedState = (at: number): HeadState => ({ ...NEW, erasedAt: at });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
