import type { RichMessage } from "@jaf/memory";
import { canonical } from "../../../../test/fakes/canonical.ts";
import type { Replayed } from "../../../../test/recordings/replay.ts";

/** What a replay led to, in parts that mustn't depend on the store or on streaming. */
export function comparable({ first, answered, second, requests, ran, stored }: Replayed) {
  return {
    outcomes: [first, answered, second].map((result) => result?.outcome),
    ran,
    stored: stored.map(canonicalMessages),
    requests: requests.map(unstreamed),
  };
}

/**
 * Returns the same text for messages that differ only as streamed ones may: in the order of their fields, and in fields
 * that are `null`. The service has another port in each replay.
 */
export const canonicalMessages = (messages: readonly RichMessage[]): string =>
  canonical(JSON.parse(JSON.stringify(messages), withoutNull)).replaceAll(PORT, "127.0.0.1");

function withoutNull(key: string, value: unknown): unknown {
  return value === null && key !== "content" ? undefined : value;
}

const PORT = /127\.0\.0\.1:\d+/g;

/** The text of a request, without the fields by which it asks for a stream. */
function unstreamed({ stream: _, stream_options: __, ...body }: Replayed["requests"][number]): string {
  return JSON.stringify(body, null, 1);
}
