import type { RichMessage } from "@jaf/memory";
import type { Replayed } from "../../../../test/recordings/replay.ts";

/** What a replay led to: independent of the store. */
export const comparable = (replayed: Replayed) => ({
  ...withoutWay(replayed),
  stored: replayed.stored.map(comparableMessages),
});

/** What a replay led to: independent of the store and of streaming. A service may send other fields in a stream. */
export const withoutWay = ({ first, answered, second, requests, ran }: Replayed) => ({
  outcomes: [first, answered, second].map((result) => withoutChance(result?.outcome)),
  ran,
  requests: requests.map(unstreamed),
});

export const comparableMessages = (messages: readonly RichMessage[]): readonly RichMessage[] =>
  withoutChance(messages);

const CHANCE = /127\.0\.0\.1:\d+|call_[0-9a-f]{32}|appr_[\w.-]+|(?<=")[A-Za-z0-9]{16}(?=\\*")/g;

/** Numbers what differs between replays: the ports in origins, and the ids that JAF and the AI SDK make. */
function withoutChance<T>(value: T): T {
  const seen: string[] = [];
  const text = JSON.stringify(value ?? null).replace(CHANCE, (found) => {
    if (!seen.includes(found)) seen.push(found);
    return `#${seen.indexOf(found)}`;
  });
  return JSON.parse(text);
}

/** The text of a request, without the fields by which it asks for a stream. */
function unstreamed({ stream: _, stream_options: __, ...body }: Replayed["requests"][number]): string {
  return JSON.stringify(withoutChance(body), null, 1);
}
