/** What happened in a program, in the order in which it happened. */
export type Note =
  /** The user begins to say something, in any way. */
  | { readonly type: "saying"; readonly text: string; readonly by: "send" | "chat" | "timer" }
  /** The server has confirmed it. */
  | { readonly type: "said"; readonly text: string }
  /** The server has refused it. */
  | { readonly type: "refused"; readonly text: string; readonly reason: string }
  /** The inbox returned an entry for the first time. */
  | { readonly type: "entry"; readonly text: string }
  /** A model call begins. */
  | ModelNote
  /** A fault has hit a model call. */
  | { readonly type: "model failed"; readonly turnId: string }
  /** A tool begins. */
  | { readonly type: "run"; readonly tool: string; readonly callId: string; readonly key: string }
  /** The result of a call is stored. */
  | { readonly type: "result"; readonly callId: string }
  | { readonly type: "deciding"; readonly callId: string; readonly approves: boolean }
  /** The server has accepted the decision. */
  | { readonly type: "decided"; readonly callId: string; readonly approves: boolean }
  /** The server has promised that the turn stops. */
  | { readonly type: "stopped"; readonly turnId: string }
  /** The server has promised that the turn has begun. */
  | { readonly type: "begun"; readonly turnId: string };

interface ModelNote {
  readonly type: "model";
  /** The turn that makes the call. */
  readonly turnId: string;
  /** The user's messages that the model sees. */
  readonly texts: readonly string[];
  /** Whether a model provider would take the messages as they are. */
  readonly isValid: boolean;
}

export interface Notes {
  readonly add: (note: Note) => void;
  readonly all: () => readonly Note[];
  readonly of: <Type extends Note["type"]>(type: Type) => readonly Extract<Note, { readonly type: Type }>[];
}

export function createNotes(): Notes {
  const notes: Note[] = [];
  return {
    add: (note) => void notes.push(note),
    all: () => notes,
    of: <Type extends Note["type"]>(type: Type) =>
      notes.filter((note): note is Extract<Note, { readonly type: Type }> => note.type === type),
  };
}
