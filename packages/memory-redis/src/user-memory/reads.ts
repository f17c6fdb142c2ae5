import type { StoredFact, Tombstone, UserMemoryBackend } from "@jaf/user-memory/adapter";
import { list, text } from "../decoding.ts";
import { decodeFacts } from "./fact-codec.ts";
import { parseHead } from "./head.ts";
import type { UserMemoryIo } from "./io.ts";
import { lookupsIn } from "./names.ts";

/** Facts that one call fetches of a listing, so that none holds the server for long. */
const PART = 500;

const counted = (values: readonly unknown[]): readonly string[] => [
  String(values.length),
  ...values.map(String),
];

const flag = (brief: boolean | undefined): string => (brief === true ? "1" : "0");

/** Reads facts by what they are found by, and in order. */
export function createReads({ run, keys }: UserMemoryIo): Pick<UserMemoryBackend, "read" | "list"> {
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
        const wanted = Math.min(PART, limit - found.length);
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
