import type { NumberedEvent } from "../turns/turn-service.ts";

/** A turn that an {@link Encoder} sends to a client. */
export interface EncodedTurn {
  readonly conversationId: string;
  readonly turnId: string;
  /**
   * The turn's events, in groups. Each event comes after it was stored. The last group contains `turn_end`. The groups
   * end without `turn_end` if the server closes, or if the turn was erased or has expired.
   */
  readonly events: AsyncIterable<readonly NumberedEvent[]>;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
  /**
   * The server provides this function. The encoder must call it when the events have ended, and when the client
   * disconnects.
   */
  readonly onLeave: () => void;
  /**
   * The server provides this function. The encoder must call it with each error that occurs while the response is sent.
   */
  readonly onError: (thrown: unknown) => void;
  /** Cuts off the connection to the client. Absent: the encoder must let the response stream fail with an error. */
  readonly cutOff?: (() => void) | undefined;
}

/** Converts the events of a turn into an HTTP response in one protocol, e.g. server-sent events. */
export type Encoder = (turn: EncodedTurn) => Response | Promise<Response>;
