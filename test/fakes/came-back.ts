/** Checks that a model's replies come back unchanged: each part, in its place. */

/** A part of a request or of a reply. */
export interface PartKey {
  /** Identifies it even if its opaque values have changed; absent if it has nothing else. */
  readonly mark?: string;
  /** The whole part. */
  readonly whole: string;
}

export interface BrokenReply {
  readonly given: readonly string[];
  readonly sent: readonly string[];
}

interface CameBack {
  /** The number of unchanged replies with opaque parts. */
  readonly whole: number;
  readonly broken: readonly BrokenReply[];
}

export interface ReplyRecord {
  readonly add: (reply: { readonly parts: readonly PartKey[]; readonly isOpaque: boolean }) => void;
  readonly check: (request: readonly PartKey[]) => CameBack;
}

/** For one model. A reply without its marks in a request was left out of it, which is valid. */
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
