import { type NextRequest, NextResponse } from "next/server";
import { SESSION_COOKIE } from "./lib/session";

/** Gives each new browser a session. A stub: see lib/session.ts. */
export function proxy(request: NextRequest): NextResponse {
  if (request.cookies.has(SESSION_COOKIE)) return NextResponse.next();
  const session = crypto.randomUUID();
  request.cookies.set(SESSION_COOKIE, session);
  const response = NextResponse.next({ request });
  response.cookies.set(SESSION_COOKIE, session, {
    httpOnly: true,
    sameSite: "lax",
    secure: request.nextUrl.protocol === "https:",
    maxAge: 365 * 24 * 60 * 60,
  });
  return response;
}

export const config = { matcher: ["/", "/chat/:path*"] };
