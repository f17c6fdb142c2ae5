import { onAbort } from "@jaf/memory/internal";
import type { Context } from "hono";
import type { EncodedTurn, Encoder } from "../http/encoder.ts";
import { HttpFailure, refusalFailure } from "../http/failure.ts";
import { encodeJson } from "../http/json-answer.ts";
import type { ServerEnvironment } from "../http/router.ts";
import { encodeServerSentEvents } from "../http/sse.ts";
import type { ServerParts } from "../server-parts.ts";
import type { TurnRequest } from "../turns/turn-service.ts";

type RequestContext = Context<ServerEnvironment>;

/**
 * Returns the encoder for the format that the request asks for: server-sent events or JSON. The body's field `stream` overrides the
 * `Accept` header. With `background`, the response doesn't wait for the turn.
 */
export function ownEncoder(
  { req }: RequestContext,
  {
    stream,
    background,
  }: { readonly stream?: boolean | undefined; readonly background?: boolean | undefined },
): Encoder {
  if (background === true) {
    if (stream !== true) return encodeAccepted;
    throw new HttpFailure("invalid-request", "Invalid body: set either stream or background, not both.");
  }
  const accepts = req.header("accept") ?? "";
  return (stream ?? accepts.includes("text/event-stream")) ? encodeServerSentEvents : encodeJson;
}

/** Responds with status 202 and the turn's ids, while the turn runs on. */
const encodeAccepted: Encoder = ({ conversationId, turnId, onLeave }) => {
  onLeave();
  return Response.json({ success: true, data: { conversationId, turnId } }, { status: 202 });
};

/** In a queue, turns that no client waits for begin after the others. */
const BACKGROUND_PRIORITY = -1;

/** Starts a turn and responds with its events. The turn continues if the client disconnects. */
export async function answerTurn(
  parts: ServerParts,
  context: RequestContext,
  request: Omit<TurnRequest, "identity">,
  encode: Encoder,
): Promise<Response> {
  const identity = context.get("identity");
  // Checked before the turn starts: a refused request must not leave a running turn.
  const releaseStream = parts.limits.stream(identity.userId);
  const releaseTurn = turnOf(parts, identity.userId, releaseStream);
  const release = (): void => {
    releaseTurn();
    releaseStream();
  };
  const priority = encode === encodeAccepted ? { priority: BACKGROUND_PRIORITY } : {};
  const started = await parts.service
    .start({ identity, ...priority, ...request })
    .catch((thrown: unknown) => {
      release();
      throw thrown;
    });
  if (!started.started) {
    release();
    throw refusalFailure(started.refusal);
  }
  void started.ended.then(releaseTurn, releaseTurn);
  return encodeEvents(parts, context, { ...started, from: 0, release: releaseStream }, encode);
}

/** Returns the functions that report an error in a stream and cut its connection off. */
export const streamFailure = (context: RequestContext, report: ServerParts["report"]) => ({
  onError: (thrown: unknown) => report(thrown, context.get("requestId")),
  // An app that is called without a network has no bindings.
  cutOff: (context.env as RequestContext["env"] | undefined)?.cutOff,
});

function turnOf({ limits }: ServerParts, userId: string, onRefused: () => void): () => void {
  try {
    return limits.turn(userId);
  } catch (thrown) {
    onRefused();
    throw thrown;
  }
}

interface FollowedTurn {
  readonly conversationId: string;
  readonly turnId: string;
  readonly from: number;
}

/** Responds with the events of a user's turn, from the event with number `from` on. */
export async function answerEvents(
  parts: ServerParts,
  context: RequestContext,
  turn: FollowedTurn,
  encode: Encoder,
): Promise<Response> {
  const release = parts.limits.stream(context.get("identity").userId);
  return encodeEvents(parts, context, { ...turn, release }, encode);
}

/** Returns a signal that is aborted when the reader leaves, or with one of the other signals. */
// `AbortSignal.any` takes more memory.
function leaving(others: readonly AbortSignal[], onLeave: () => void) {
  const left = new AbortController();
  let stopListening: readonly (() => void)[] = [];
  const leave = (): void => {
    for (const stop of stopListening) stop();
    onLeave();
    left.abort();
  };
  stopListening = others.map((other) => onAbort(other, leave));
  if (left.signal.aborted) leave();
  return { signal: left.signal, leave };
}

async function encodeEvents(
  { service, closing, report }: ServerParts,
  context: RequestContext,
  { conversationId, turnId, from, release }: FollowedTurn & { readonly release: () => void },
  encode: Encoder,
): Promise<Response> {
  const { signal, leave } = leaving([closing, context.req.raw.signal], release);
  const events = service.follow({ conversationId, turnId, from, signal, afterEnd: encode === encodeJson });
  const turn: EncodedTurn = {
    ...{ conversationId, turnId, events, closing, onLeave: leave },
    ...streamFailure(context, report),
  };
  try {
    return await encode(turn);
  } catch (thrown) {
    leave();
    throw thrown;
  }
}
