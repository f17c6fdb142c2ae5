import { canonical } from "../../../../test/fakes/canonical.ts";
import type { Replayed } from "../../../../test/recordings/replay.ts";

/** What a replay led to, in parts that mustn't depend on the store or on streaming. */
export function comparable({ first, answered, second, requests, ran, stored }: Replayed) {
  const outcomes = [first, answered, second].map((result) => result?.outcome);
  return {
    outcomes,
    ran,
    // The fields of a streamed message stand in the order in which they came.
    stored: canonical(stored),
    requests: requests.map(unstreamed),
  };
}

/** The text of a request, without the fields by which it asks for a stream. */
function unstreamed({ stream: _, stream_options: __, ...body }: Replayed["requests"][number]): string {
  return JSON.stringify(body, null, 1);
}
