/** Where the assistant is talked to: what a person can do there has other names. */
export type Surface = "terminal" | "page";

interface Ways {
  readonly deleteConversation: string;
  readonly forgetFact: string;
}

export const WAYS: Readonly<Record<Surface, Ways>> = {
  terminal: {
    deleteConversation: "/forget deletes it",
    forgetFact: "/facts lists it, /forget-fact N forgets it",
  },
  page: {
    deleteConversation: "the bin beside its title deletes it",
    forgetFact: "“What I know about you” lists it, with a button that forgets it",
  },
};
