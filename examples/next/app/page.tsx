import { redirect } from "next/navigation";
import { connection } from "next/server";

export default async function Home() {
  await connection(); // A new id for each visit, not one for each build.
  redirect(`/chat/${crypto.randomUUID()}`);
}
