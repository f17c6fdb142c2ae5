import { createStore } from "./store.ts";

/** The page that the URL's hash selects. */
export type Route =
  | { readonly page: "chat"; readonly conversationId: string | undefined }
  | { readonly page: "facts" }
  | { readonly page: "health" }
  | { readonly page: "ledger" };

function parse(hash: string): Route {
  if (hash === "#/facts") return { page: "facts" };
  if (hash === "#/health") return { page: "health" };
  if (hash === "#/ledger") return { page: "ledger" };
  const id = /^#\/c\/(.+)$/.exec(hash)?.[1];
  try {
    return { page: "chat", conversationId: id === undefined ? undefined : decodeURIComponent(id) };
  } catch {
    return { page: "chat", conversationId: undefined };
  }
}

function hrefOf(route: Route): string {
  if (route.page !== "chat") return `#/${route.page}`;
  return route.conversationId === undefined ? "#/" : `#/c/${encodeURIComponent(route.conversationId)}`;
}

export const conversationHref = (conversationId: string): string => hrefOf({ page: "chat", conversationId });

export const route = createStore<{ readonly now: Route }>({ now: parse(location.hash) });
addEventListener("hashchange", () => route.set({ now: parse(location.hash) }));

export function goTo(to: Route): void {
  location.hash = hrefOf(to);
}

/** Replaces the route when a new conversation gets its id, so "back" doesn't lead to the empty one. */
export function replaceRoute(to: Route): void {
  history.replaceState(null, "", hrefOf(to));
  route.set({ now: to });
}
