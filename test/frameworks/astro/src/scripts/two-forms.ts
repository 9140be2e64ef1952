/** Counts the forms that are ready on the page `two-forms`, and changes their order. */
document.addEventListener('prequal-ready', ({target}) => {
  const ready = document.querySelector('#ready');
  if ((target as Element).closest('#forms') && ready)
    ready.textContent = String(Number(ready.textContent) + 1);
});

document.addEventListener('astro:page-load', () => {
  const forms = document.querySelector('#forms');
  document.querySelector('#swap')?.addEventListener('click', () => forms?.append(forms.firstElementChild!));
});
