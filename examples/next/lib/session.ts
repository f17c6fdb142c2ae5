export const SESSION_COOKIE = "session";

/**
 * A stub in place of your login. Its user is a browser: a random id in a cookie, which can't be guessed, and is lost with
 * the cookie. With a login, return the id of the user who is signed in, or `null`.
 */
export function userOf(request: Request): { readonly userId: string } | null {
  const cookies = request.headers.get("cookie")?.split("; ") ?? [];
  const session = cookies.find((cookie) => cookie.startsWith(`${SESSION_COOKIE}=`));
  const userId = session?.slice(SESSION_COOKIE.length + 1);
  return userId ? { userId } : null;
}
