export {
  type UserMemoryMiddleware,
  type UserMemoryMiddlewareOptions,
  userMemoryMiddleware,
} from "./middleware.ts";
export {
  type MessageSearchTools,
  type MessageSearchToolsOptions,
  messageSearchTools,
  type UserMemoryTool,
  type UserMemoryTools,
  type UserMemoryToolsOptions,
  userMemoryTools,
} from "./tools.ts";
