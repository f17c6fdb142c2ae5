import { createStore, type Store } from "./store.ts";

export interface Drafts {
  /** By conversation; `""` is the one that hasn't begun. */
  readonly state: Store<Readonly<Record<string, string>>>;
  readonly write: (conversationId: string | undefined, text: string) => void;
  /** Takes back what couldn't be sent, unless something else is being written there already. */
  readonly restore: (conversationId: string | undefined, text: string) => void;
  /** To another conversation, if there is a draft and none in the other. */
  readonly move: (from: string | undefined, to: string | undefined) => void;
}

const KEY = "jaf-drafts";

/** What is written and not sent, of each conversation. Kept by the tab, also over a reload. */
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
      // Too long, or the browser keeps nothing: it lasts as long as the page.
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
