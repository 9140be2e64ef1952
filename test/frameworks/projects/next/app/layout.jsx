export const metadata = {title: 'Funding', icons: 'data:,'};

export default function Layout({children}) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
