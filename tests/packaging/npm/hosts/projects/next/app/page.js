/** Without a page nothing is built. */
export default function Page() {
  return 'Ask /api.';
}
