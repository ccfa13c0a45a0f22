export default function Page() {
  return <p>A page, since an application without one is not built.</p>;
}
