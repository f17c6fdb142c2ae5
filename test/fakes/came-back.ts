/** Whether what a model said comes back to it as it was: each part, in its place. */

/** The parts of a reply, or of a whole request, each as a text that tells it from every other. */
export type PartKeys = readonly string[];

export interface CameBack {
  /** How many replies of this model the request holds. */
  readonly replies: number;
  /** How many of them have opaque parts. */
  readonly opaque: number;
  /** The replies that aren't there as they were. */
  readonly broken: readonly { readonly given: PartKeys; readonly sent: PartKeys }[];
}

interface IssuedReply {
  readonly keys: PartKeys;
  /** Of `keys`, those that nobody else says: by them the reply is found. */
  readonly marks: PartKeys;
  readonly isOpaque: boolean;
}

export interface ReplyRecord {
  readonly add: (reply: IssuedReply) => void;
  readonly check: (request: PartKeys) => CameBack;
}

/** Of one model. */
export function recordReplies(): ReplyRecord {
  const issued: IssuedReply[] = [];
  return {
    add: (reply) => void issued.push(reply),
    check: (request) => {
      const places = new Map(request.map((key, index) => [key, index]));
      const broken: { given: PartKeys; sent: PartKeys }[] = [];
      let replies = 0;
      let opaque = 0;
      for (const { keys, marks, isOpaque } of issued) {
        const mark = marks.find((key) => places.has(key));
        if (mark === undefined) continue;
        replies += 1;
        if (isOpaque) opaque += 1;
        const start = (places.get(mark) ?? 0) - keys.indexOf(mark);
        const sent = request.slice(Math.max(0, start), start + keys.length);
        if (!keys.every((key, index) => request[start + index] === key)) broken.push({ given: keys, sent });
      }
      return { replies, opaque, broken };
    },
  };
}
