import type { StoredAuditEntry, UserHead, UserKey } from "@jaf/user-memory/adapter";
import { list, number, text, UnexpectedReply } from "../decoding.ts";
import { parseHead } from "./head.ts";
import type { UserMemoryIo } from "./io.ts";

/** Entries that one call fetches, so that none holds the server for long. */
const PART = 2_000;

/** An entry as it is stored. */
export const encodeEntry = ({ seq, body }: StoredAuditEntry): string => `${seq} ${body}`;

function decodeEntry(stored: string): StoredAuditEntry {
  const end = stored.indexOf(" ");
  if (end === -1) throw new UnexpectedReply("an entry of the audit trail is not as this version stores it");
  return { seq: Number(stored.slice(0, end)), body: stored.slice(end + 1) };
}

interface Trail {
  readonly head: UserHead | null;
  readonly entries: readonly StoredAuditEntry[];
}

/** Reads the audit trail, a long one in parts: entries are only ever added, until the user is erased. */
export function createAuditReader({ run, keys }: UserMemoryIo) {
  async function readPart(user: UserKey, first: number, last: number) {
    const { head, audit } = keys.of(user);
    const reply = list(await run("audit", { keys: [head, audit], args: [first, last] }));
    return {
      head: parseHead(reply[0], reply[1], reply[2]),
      total: number(reply[3]),
      stored: list(reply[4]).map(text),
    };
  }

  return async (user: UserKey): Promise<Trail> => {
    for (;;) {
      const { head, total, stored } = await readPart(user, 0, PART - 1);
      const epoch = head?.epoch;
      let isSame = true;
      while (isSame && stored.length < total) {
        const part = await readPart(user, stored.length, Math.min(stored.length + PART, total) - 1);
        isSame = part.head?.epoch === epoch && part.stored.length > 0;
        stored.push(...part.stored);
      }
      if (isSame) return { head, entries: stored.map(decodeEntry) };
    }
  };
}
