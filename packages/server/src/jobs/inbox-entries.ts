import type { Inbox, InboxEntry } from "@jaf/memory";
import { sameJson } from "@jaf/memory/internal";
import * as z from "zod";
import type { Identity } from "../turns/turn-service.ts";

/** What the server stores beside the message, so that any process can begin a turn with it. The engine ignores it. */
const sentSchema = z.object({
  identity: z.looseObject({ userId: z.string() }),
  agentName: z.string(),
  from: z.string().default("user"),
});

/** Who sent the message of an entry, and to which agent. `from`: `"user"`, `"work"` or `"timer"`. */
interface Sent {
  readonly identity: Identity;
  readonly agentName: string;
  readonly from: string;
}

/** Returns `undefined` if no server has sent the entry, e.g. if an agent client has. */
function sentIn({ content }: InboxEntry): Sent | undefined {
  try {
    return sentSchema.safeParse(JSON.parse(content)).data;
  } catch {
    return undefined;
  }
}

/** For whom a turn with the entries runs, and with which agent. */
export interface TurnOfEntries extends Pick<Sent, "identity" | "agentName"> {
  /** Whether none of the entries is the user's. */
  readonly isUnattended: boolean;
}

/**
 * Returns the turn that the entries begin: that of the user's newest message, or of the newest one if none is the user's.
 * So a timer's identity never runs what the user says. Returns `undefined` if no server has sent any of the entries.
 */
export function turnOf(entries: readonly InboxEntry[]): TurnOfEntries | undefined {
  const sent = entries.map(sentIn).filter((one) => one !== undefined);
  const newest = sent.findLast(isUsers) ?? sent.at(-1);
  return newest && { ...newest, isUnattended: !isUsers(newest) };
}

const isUsers = ({ from }: Sent): boolean => from === "user";

/**
 * Returns the inbox as a turn of `identity` reads it: without the user's messages with another identity, unless a later
 * message has this one, and without what comes after them. The next turn takes them.
 */
export const inboxOf = (inbox: Inbox, identity: Identity): Inbox => ({
  ...inbox,
  // The methods of a class aren't copied above.
  remove: (range) => inbox.remove(range),
  read: async (query) => {
    const found = await inbox.read(query);
    return found.success ? { ...found, data: takenBy(identity, found.data) } : found;
  },
});

function takenBy(identity: Identity, entries: readonly InboxEntry[]): readonly InboxEntry[] {
  const sent = entries.map((entry) => {
    const one = sentIn(entry);
    // The engine refuses the entry of another user, which mustn't stay.
    return one !== undefined && isUsers(one) && entry.userId === identity.userId ? one : undefined;
  });
  const last = sent.findLastIndex((one) => one !== undefined && sameJson(one.identity, identity));
  const next = sent.findIndex((one, index) => index > last && one !== undefined);
  return next === -1 ? entries : entries.slice(0, next);
}
