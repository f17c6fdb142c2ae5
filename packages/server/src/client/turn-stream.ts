import { type FollowedEvent, type FollowOptions, followTurn } from "./follow.ts";
import type { Http } from "./http.ts";

/** A POST that starts a turn, and its events: see `followTurn`. */
export function startTurn(
  http: Http,
  {
    path,
    body,
    conversationId,
  }: { readonly path: string; readonly body: object; readonly conversationId?: string | undefined },
  options: FollowOptions = {},
): AsyncGenerator<FollowedEvent, void, void> {
  return followTurn(
    http,
    { conversationId, from: 0 },
    {
      ...options,
      first: (signal) => http.send(path, { method: "POST", body, accept: "text/event-stream", signal }),
    },
  );
}
