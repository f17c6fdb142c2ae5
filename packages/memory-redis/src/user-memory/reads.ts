import type {
  StoredAuditEntry,
  StoredFact,
  Tombstone,
  UserHead,
  UserKey,
  UserMemoryBackend,
} from "@jaf/user-memory/adapter";
import { list, number, text, UnexpectedReply } from "../lua.ts";
import { decodeFacts, lookupsIn } from "./fact-codec.ts";
import type { UserMemoryCalls } from "./keys.ts";

/** The maximum number of facts that one call of the script `list` reads, so no call blocks the server for long. */
const LIST_PART = 500;

const counted = (values: readonly unknown[]): readonly string[] => [
  String(values.length),
  ...values.map(String),
];

const flag = (brief: boolean | undefined): string => (brief === true ? "1" : "0");

/** Returns the methods `read` and `list` of a user memory backend. */
export function createReads({ run, keys }: UserMemoryCalls): Pick<UserMemoryBackend, "read" | "list"> {
  return {
    read: async (user, { tombstones: digests = [], brief, ...selection }) => {
      const { head, facts, vectors, lookups, tombstones } = keys.of(user);
      const asked = [...new Set(digests)];
      const seqs = [...new Set(selection.seqs ?? [])];
      const args = [flag(brief), ...counted(asked), ...counted(seqs), ...lookupsIn(selection)];
      const reply = list(await run("read", { keys: [head, facts, vectors, lookups, tombstones], args }));
      const found = list(reply[5]);
      return {
        head: parseHead(reply[0], reply[1], reply[2]),
        facts: decodeFacts(reply[3], reply[4]),
        tombstones: asked.flatMap((digest, at): readonly Tombstone[] =>
          found[at] == null ? [] : [{ digest, at: Number(text(found[at])) }],
        ),
      };
    },

    list: async (user, { statuses, before, limit, brief }) => {
      const of = keys.of(user);
      const scriptKeys = [of.facts, of.vectors, ...new Set(statuses.map((status) => of[status]))] as const;
      const found: StoredFact[] = [];
      for (let from = before; found.length < limit; from = found.at(-1)?.seq) {
        const wanted = Math.min(LIST_PART, limit - found.length);
        const args = [
          from === undefined || from === Number.POSITIVE_INFINITY ? "+inf" : from,
          wanted,
          flag(brief),
        ];
        const [bodies, vectors] = list(await run("list", { keys: scriptKeys, args }));
        const page = decodeFacts(bodies, vectors);
        found.push(...page);
        if (page.length < wanted) break;
      }
      return found;
    },
  };
}

/**
 * The maximum number of audit entries that one call of the script `audit` reads, so no call blocks the server for long.
 */
const AUDIT_PART = 2_000;

/** Converts an entry of the audit trail into the text that Redis stores: its number, a space and its body. */
export const encodeEntry = ({ seq, body }: StoredAuditEntry): string => `${seq} ${body}`;

function decodeEntry(stored: string): StoredAuditEntry {
  const end = stored.indexOf(" ");
  if (end === -1)
    throw new UnexpectedReply("an entry of the audit trail was stored by another version of this package");
  return { seq: Number(stored.slice(0, end)), body: stored.slice(end + 1) };
}

interface Trail {
  readonly head: UserHead | null;
  readonly entries: readonly StoredAuditEntry[];
}

/**
 * Returns a function that reads a user's whole audit trail. If the user is erased during the read, the function starts
 * again.
 */
export function createAuditReader({ run, keys }: UserMemoryCalls) {
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
      const { head, total, stored } = await readPart(user, 0, AUDIT_PART - 1);
      const epoch = head?.epoch;
      let isSame = true;
      while (isSame && stored.length < total) {
        const part = await readPart(user, stored.length, Math.min(stored.length + AUDIT_PART, total) - 1);
        isSame = part.head?.epoch === epoch && part.stored.length > 0;
        stored.push(...part.stored);
      }
      if (isSame) return { head, entries: stored.map(decodeEntry) };
    }
  };
}

/**
 * Converts the three values that scripts return for a user's head into a `UserHead`. Returns `null` if nothing was ever
 * written for the user.
 */
function parseHead(version: unknown, epoch: unknown, state: unknown): UserHead | null {
  if (text(version) === "") return null;
  return { version: Number(text(version)), epoch: Number(text(epoch)), state: text(state) };
}
