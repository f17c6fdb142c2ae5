import type { NumberedEvent } from "../turns/turn-service.ts";

/** A turn, to be shown to a client in some protocol. */
export interface EncodedTurn {
  readonly conversationId: string;
  readonly turnId: string;
  /** Groups of events as they are stored, to the end of the turn, or until the server ends the connection. */
  readonly events: AsyncIterable<readonly NumberedEvent[]>;
  /** Aborted when the server ends. If the events end early without that, the turn is gone. */
  readonly closing: AbortSignal;
  /** The client is gone: it was told nothing more. */
  readonly onLeave: () => void;
  /** Told what failed while the answer was sent. */
  readonly onError: (thrown: unknown) => void;
  /** Breaks the connection off. Absent: the stream of an answer that fails does. */
  readonly cutOff?: (() => void) | undefined;
}

/** Turns the events of a turn into an answer of one protocol. A protocol is one function. */
export type Encoder = (turn: EncodedTurn) => Response | Promise<Response>;
