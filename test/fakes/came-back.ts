/** Whether what a model said comes back to it as it was: each part, in its place. */

/** A part of a request or of a reply. */
export interface PartKey {
  /** By which it is found, whatever became of its opaque values; absent where it has nothing else of its own. */
  readonly mark?: string;
  /** All of it. */
  readonly whole: string;
}

export interface BrokenReply {
  readonly given: readonly string[];
  readonly sent: readonly string[];
}

interface CameBack {
  /** How many replies with opaque parts are there as they were. */
  readonly whole: number;
  readonly broken: readonly BrokenReply[];
}

export interface ReplyRecord {
  readonly add: (reply: { readonly parts: readonly PartKey[]; readonly isOpaque: boolean }) => void;
  readonly check: (request: readonly PartKey[]) => CameBack;
}

/** Of one model. A reply whose marks aren't in a request was left out of it, which is no fault. */
export function recordReplies(): ReplyRecord {
  const issued: Parameters<ReplyRecord["add"]>[0][] = [];
  return {
    add: (reply) => void issued.push(reply),
    check: (request) => {
      const places = new Map(request.map(({ mark }, index) => [mark, index]));
      const broken: BrokenReply[] = [];
      let whole = 0;
      for (const { parts, isOpaque } of issued) {
        const found = parts.findIndex(({ mark }) => mark !== undefined && places.has(mark));
        if (found === -1) continue;
        const start = (places.get(parts[found]?.mark) ?? 0) - found;
        const isThere = parts.every((part, index) => request[start + index]?.whole === part.whole);
        if (isThere && isOpaque) whole += 1;
        if (isThere) continue;
        const sent = request.slice(Math.max(0, start), Math.max(0, start) + parts.length);
        broken.push({ given: parts.map((part) => part.whole), sent: sent.map((part) => part.whole) });
      }
      return { whole, broken };
    },
  };
}
