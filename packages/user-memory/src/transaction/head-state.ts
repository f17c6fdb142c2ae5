import * as z from "zod";
import { CHAIN_START } from "../audit.ts";
import type { UserHead } from "../backend.ts";

const count = z.int().min(0);

const stateSchema = z.object({
  /** When everything was forgotten last, in milliseconds since 1970; 0: never. */
  erasedAt: z.number(),
  facts: count,
  /** Of them, those that count or counted and aren't the user's word; quotations aren't counted. */
  untrusted: count,
  quarantined: count,
  /** Of the facts, the quotations. */
  quotations: count,
  audit: z.object({ seq: count, hash: z.string() }),
  /** By the digest of a conversation: how many facts that aren't the user's word were extracted from it since when. */
  extracted: z.array(z.tuple([z.string(), count, z.number()])),
});

/** What the shared code keeps of a user beside the facts. */
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

/** Throws if somebody has changed the row: nothing is written over what isn't understood. */
export function readState(head: UserHead | null): HeadState {
  if (head === null) return NEW;
  const parsed = stateSchema.safeParse(parseJson(head.state));
  if (!parsed.success) throw new Error("the user's head row isn't as this package writes it");
  return parsed.data;
}

/** How many of the facts are the user's word, whether or not they still count. */
export const countUsersWords = ({ facts, untrusted, quarantined, quotations }: HeadState): number =>
  facts - untrusted - quarantined - quotations;

export const writeState = (state: HeadState): string => JSON.stringify(state);

/** The state of a user of whom nothing is left. */
export const erasedState = (at: number): HeadState => ({ ...NEW, erasedAt: at });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
