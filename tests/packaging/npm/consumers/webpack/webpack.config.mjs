export default {
  mode: 'production',
  entry: { bundle: './main.js', unused: '../esbuild/unused.js' },
  output: { path: import.meta.dirname, filename: '[name].js' },
};
