import type { ReactNode } from "react";
import "./globals.css";

export const metadata = { title: "Fruit shop" };

export default function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
