import { AbstractChat, type ChatInit, type ChatState, type ChatStatus, type UIMessage } from "ai";

/** A chat state as in `@ai-sdk/react`, without a user interface. */
function plainState(initial: UIMessage[]): ChatState<UIMessage> {
  const state: ChatState<UIMessage> = {
    status: "ready" as ChatStatus,
    error: undefined,
    messages: initial,
    pushMessage: (message) => {
      state.messages = [...state.messages, message];
    },
    popMessage: () => {
      state.messages = state.messages.slice(0, -1);
    },
    replaceMessage: (index, message) => {
      state.messages = state.messages.map((each, at) => (at === index ? structuredClone(message) : each));
    },
    snapshot: (value) => structuredClone(value),
  };
  return state;
}

export class HeadlessChat extends AbstractChat<UIMessage> {
  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    super({ ...init, state: plainState(messages) });
  }
}
