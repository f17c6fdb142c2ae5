import { server } from "./server.ts";
import { createStore } from "./store.ts";

/** The names of the tools whose calls may wait for an approval. Empty until the server has told them. */
export const approvalTools = createStore<{ readonly names: ReadonlySet<string> }>({ names: new Set() });

export async function loadApprovalTools(): Promise<void> {
  try {
    const { agents } = await server.agents();
    const names = agents.flatMap(({ tools }) => tools.flatMap((tool) => (tool.approval ? [tool.name] : [])));
    approvalTools.set({ names: new Set(names) });
  } catch {
    // Asked again when the next conversation is shown: only a hint depends on it.
  }
}
