import type { MemoryProvider } from "@jaf/memory";

/** The conversation that several frameworks share. */
export interface Place {
  readonly provider: MemoryProvider;
  readonly conversationId: string;
  readonly userId: string;
}

/** A framework with its bridge to the memory. */
export interface Framework {
  readonly name: string;
  /** Stores the conversation that the test is about, in the framework's own form. */
  readonly begin: (place: Place) => Promise<void>;
  /** Asks the framework's engine with a scripted model that replies `reply`. Returns what the model was given. */
  readonly ask: (place: Place, text: string, reply: string) => Promise<unknown>;
  /** Loads the conversation in the framework's own form. */
  readonly load: (place: Place) => Promise<readonly unknown[]>;
}

/** What is said in the conversation, in each framework's form. */
export const SAID = {
  question: "What is on this photo?",
  photo: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  reasoning: "I had better look it up.",
  signature: "c2lnbmF0dXJlLW9mLXJlYXNvbmluZw==",
  callId: "call_photo_1",
  arguments: { photo: 17 },
  result: "A lighthouse at Eckmühl.",
  answer: "It is a lighthouse.",
} as const;
