import { createConversationModel } from "./conversation-model.ts";
import { createDrafts } from "./drafts.ts";
import { createListModel } from "./list-model.ts";
import { replaceRoute, route } from "./route.ts";
import { server } from "./server.ts";
import { createStore } from "./store.ts";

/** The page's only instances. */
export const list = createListModel(server);

export const drafts = createDrafts(sessionStorage);

export const conversation = createConversationModel(server, {
  onCreated: (conversationId) => {
    drafts.move(undefined, conversationId);
    if (route.get().now.page === "chat") replaceRoute({ page: "chat", conversationId });
  },
  onUnsent: drafts.restore,
  onMissing: (conversationId) => drafts.move(conversationId, undefined),
  onChanged: () => list.changed(),
});

function openRoute(): void {
  const { now } = route.get();
  if (now.page === "chat") void conversation.open(now.conversationId);
}
route.subscribe(openRoute);

/** The open conversation, if the list had it at the last look. */
let listed: string | undefined;

list.state.subscribe(() => {
  const { conversationId } = conversation.state.get();
  const { reachable, loaded, conversations } = list.state.get();
  if (!reachable || !loaded) return;
  conversation.reached();
  const heard = conversations.find((one) => one.conversationId === conversationId);
  if (heard === undefined && conversationId !== undefined && listed === conversationId) conversation.check();
  listed = heard?.conversationId;
  if (heard !== undefined)
    conversation.heardOf(heard.version, heard.turn?.state === "running" ? heard.turn.turnId : undefined);
});

export function startModels(): void {
  openRoute();
  void list.refresh();
}

/** The names of tools that may need an approval. Empty until the server has sent them. */
export const approvalTools = createStore<{ readonly names: ReadonlySet<string> }>({ names: new Set() });

export async function loadApprovalTools(): Promise<void> {
  try {
    const { agents } = await server.agents();
    const names = agents.flatMap(({ tools }) => tools.flatMap((tool) => (tool.approval ? [tool.name] : [])));
    approvalTools.set({ names: new Set(names) });
  } catch {
    // Repeated for the next conversation, since only a hint depends on it.
  }
}
