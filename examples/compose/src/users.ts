import type { Identity } from "@jaf/server";

/**
 * A stub in place of your login: `tokens` has `user:token` for each user, separated by commas. Returns the user whose
 * token the request has.
 */
export function createAuthenticate(tokens: string): (request: Request) => Identity | null {
  const users = new Map<string, Identity>();
  for (const pair of tokens.split(",")) {
    const [userId, token] = pair.trim().split(":");
    if (userId && token) users.set(`Bearer ${token}`, { userId });
  }
  if (users.size === 0) throw new Error("API_TOKENS names no user. Expected: user:token,user:token");
  return ({ headers }) => users.get(headers.get("authorization") ?? "") ?? null;
}
