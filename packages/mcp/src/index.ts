export { connectMcpServers, type McpServers } from "./connect-mcp-servers.ts";
export type {
  McpApproval,
  McpCall,
  McpEndpoint,
  McpOptions,
  McpProcess,
  McpServer,
  McpServerOptions,
} from "./options.ts";
export type { McpAnswer, McpElicit, McpProgress, McpQuestion, McpWarning } from "./reports.ts";
export type { McpServerStatus } from "./server.ts";
