-- ratio of sums; the mean of daily ratios overrates small days
SELECT sum(attributed_revenue) / sum(cost) AS roas
FROM ads.campaign_daily
WHERE market = {{ market }}
  AND is_house = FALSE
  AND report_date BETWEEN {{ period.start }} AND {{ period.end }}
