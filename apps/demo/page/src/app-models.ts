import { createConversationModel } from "./chat/conversation-model.ts";
import { createListModel } from "./conversations/list-model.ts";
import { replaceRoute, route } from "./route.ts";
import { server } from "./server.ts";

/** One of each for the page. */
export const list = createListModel(server);

export const conversation = createConversationModel(server, {
  onCreated: (conversationId) => {
    if (route.get().now.page === "chat") replaceRoute({ page: "chat", conversationId });
  },
  onChanged: () => list.changed(),
});

function openRoute(): void {
  const { now } = route.get();
  if (now.page === "chat") void conversation.open(now.conversationId);
}
route.subscribe(openRoute);

list.state.subscribe(() => {
  const { conversationId } = conversation.state.get();
  const heard = list.state.get().conversations.find((one) => one.conversationId === conversationId);
  if (heard !== undefined)
    conversation.heardOf(heard.version, heard.turn?.state === "running" ? heard.turn.turnId : undefined);
});

export function startModels(): void {
  openRoute();
  void list.refresh();
}
