import * as z from "zod";
import { CHAIN_START } from "../audit.ts";
import type { UserHead } from "../backend.ts";

const count = z.int().min(0);

const stateSchema = z.object({
  /** The last erasure in milliseconds since 1970; 0 if none. */
  erasedAt: z.number(),
  facts: count,
  /** The active and superseded facts that the user neither stated nor confirmed, without quotations. */
  untrusted: count,
  quarantined: count,
  /** The number of quotations among the facts. */
  quotations: count,
  audit: z.object({ seq: count, hash: z.string() }),
  /** Digest of a source, number of facts inferred from it, start of the window. */
  extracted: z.array(z.tuple([z.string(), count, z.number()])),
});

/** The state in a user's head. */
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

/** Reads the state of a head. Throws if it is damaged, so it isn't overwritten. */
export function readState(head: UserHead | null): HeadState {
  if (head === null) return NEW;
  const parsed = stateSchema.safeParse(parseJson(head.state));
  if (!parsed.success) throw new Error("the user's head row has an unknown format");
  return parsed.data;
}

/** Returns the number of stated and confirmed facts, active or superseded. */
export const countUsersWords = ({ facts, untrusted, quarantined, quotations }: HeadState): number =>
  facts - untrusted - quarantined - quotations;

export const writeState = (state: HeadState): string => JSON.stringify(state);

/** Returns the state after an erasure. */
export const erasedState = (at: number): HeadState => ({ ...NEW, erasedAt: at });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
