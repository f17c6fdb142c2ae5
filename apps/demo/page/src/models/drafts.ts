import { createStore, type Store } from "./store.ts";

export interface Drafts {
  /** Drafts by conversation id; `""` for the new conversation. */
  readonly state: Store<Readonly<Record<string, string>>>;
  readonly write: (conversationId: string | undefined, text: string) => void;
  /** Restores a message that couldn't be sent, unless the conversation already has another draft. */
  readonly restore: (conversationId: string | undefined, text: string) => void;
  /** Moves a draft to another conversation, unless that has one. */
  readonly move: (from: string | undefined, to: string | undefined) => void;
}

const KEY = "jaf-drafts";

/** Creates the unsent drafts of all conversations. The tab keeps them, even across reloads. */
export function createDrafts(storage: Pick<Storage, "getItem" | "setItem">): Drafts {
  const state = createStore<Readonly<Record<string, string>>>(kept(storage));
  const draftOf = (conversationId = ""): string => state.get()[conversationId] ?? "";
  const write = (conversationId = "", text: string): void => {
    state.set(({ [conversationId]: _, ...others }) =>
      text === "" ? others : { ...others, [conversationId]: text },
    );
    try {
      storage.setItem(KEY, JSON.stringify(state.get()));
    } catch {
      // Too long, or the browser stores nothing: the draft lasts until a reload.
    }
  };
  const restore = (conversationId: string | undefined, text: string): void => {
    if (draftOf(conversationId) === "") write(conversationId, text);
  };
  return {
    state,
    write,
    restore,
    move: (from, to) => {
      const text = draftOf(from);
      if (text === "" || draftOf(to) !== "") return;
      write(from, "");
      write(to, text);
    },
  };
}

function kept(storage: Pick<Storage, "getItem">): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(storage.getItem(KEY) ?? "{}");
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === "string"));
  } catch {
    return {};
  }
}
