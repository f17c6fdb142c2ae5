import type { RichMessage } from "@jaf/memory";
import type { Replayed } from "../../../../test/recordings/replay.ts";

/** What a replay led to: independent of the store. */
export const comparable = (replayed: Replayed) => ({
  ...withoutWay(replayed),
  stored: replayed.stored.map(withoutPort),
});

/** What a replay led to: independent of the store and of streaming. A service may send other fields in a stream. */
export const withoutWay = ({ first, answered, second, requests, ran }: Replayed) => ({
  outcomes: [first, answered, second].map((result) => result?.outcome),
  ran,
  requests: requests.map(unstreamed),
});

/** The service has another port in each replay, which is a part of the origin. */
export const withoutPort = (messages: readonly RichMessage[]): readonly RichMessage[] =>
  messages.map((message) =>
    message.origin === undefined
      ? message
      : { ...message, origin: { ...message.origin, provider: message.origin.provider.replace(/:\d+$/, "") } },
  );

/** The text of a request, without the fields by which it asks for a stream. */
function unstreamed({ stream: _, stream_options: __, ...body }: Replayed["requests"][number]): string {
  return JSON.stringify(body, null, 1);
}
