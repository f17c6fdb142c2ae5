import type { Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import { aboutRoutes } from "./about.ts";
import { aiSdkRoutes } from "./ai-sdk.ts";
import { approvalRoutes } from "./approvals.ts";
import { chatRoutes, editRoutes } from "./chat.ts";
import { conversationRoutes } from "./conversations.ts";
import { factRoutes } from "./facts.ts";
import { inboxRoutes } from "./inbox.ts";
import { ledgerRoutes } from "./ledger.ts";
import { messageSearchRoutes } from "./message-search.ts";
import { timerRoutes } from "./timers.ts";
import { turnRoutes } from "./turns.ts";

/** Adds the routes that need an authenticated user. */
export function addRoutes(route: Route, parts: ServerParts): void {
  aboutRoutes(route, parts);
  chatRoutes(route, parts);
  conversationRoutes(route, parts);
  messageSearchRoutes(route, parts);
  editRoutes(route, parts);
  turnRoutes(route, parts);
  inboxRoutes(route, parts);
  timerRoutes(route, parts);
  approvalRoutes(route, parts);
  factRoutes(route, parts);
  ledgerRoutes(route, parts);
  aiSdkRoutes(route, parts);
}
