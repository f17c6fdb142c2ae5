import { openJaf } from "@/lib/jaf";

const handler = async (request: Request): Promise<Response> => (await openJaf()).fetch(request);

export { handler as DELETE, handler as GET, handler as PATCH, handler as POST, handler as PUT };
