import type { NumberedEvent } from "../turns/turn-service.ts";

/** A turn that an {@link Encoder} sends to a client. */
export interface EncodedTurn {
  readonly conversationId: string;
  readonly turnId: string;
  /**
   * The turn's events, in groups, once they are stored. The groups end with the turn, or when the server closes the connection.
   */
  readonly events: AsyncIterable<readonly NumberedEvent[]>;
  /** Aborted when the server closes. If the events end early and this signal isn't aborted, the turn was erased or has expired. */
  readonly closing: AbortSignal;
  /** The encoder must call this function when the events have ended, and when the client disconnects. */
  readonly onLeave: () => void;
  /** The encoder must call this function with each error that occurs while the response is sent. */
  readonly onError: (thrown: unknown) => void;
  /** Cuts the connection to the client off. If absent, the encoder must instead let the response stream fail with an error. */
  readonly cutOff?: (() => void) | undefined;
}

/** Converts the events of a turn into an HTTP response in one protocol, e.g. server-sent events. */
export type Encoder = (turn: EncodedTurn) => Response | Promise<Response>;
