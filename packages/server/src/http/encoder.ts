import type { NumberedEvent } from "../turns/turn-service.ts";

/** A turn that an {@link Encoder} sends to a client. */
export interface EncodedTurn {
  readonly conversationId: string;
  readonly turnId: string;
  /**
   * The turn's events, in groups, once they are stored. The last group contains `turn_end`. The groups end earlier if
   * the server closes, or if the turn was erased or has expired.
   */
  readonly events: AsyncIterable<readonly NumberedEvent[]>;
  /** Aborted when the server closes. If the events end early and this signal isn't aborted, the turn was erased or has expired. */
  readonly closing: AbortSignal;
  /**
   * Tells the server that the client has disconnected. The server passes this function in, and the encoder must call
   * it.
   */
  readonly onLeave: () => void;
  /**
   * Tells the server about an error that occurred while the response was sent. The encoder must call it with each
   * such error.
   */
  readonly onError: (thrown: unknown) => void;
  /** Cuts the connection to the client off. If absent, the encoder must instead let the response stream fail with an error. */
  readonly cutOff?: (() => void) | undefined;
}

/** Converts the events of a turn into an HTTP response in one protocol, e.g. server-sent events. */
export type Encoder = (turn: EncodedTurn) => Response | Promise<Response>;
